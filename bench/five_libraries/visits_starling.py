import starling

domains = {"sex": ["F", "M"], "age": ["0-17", "18-64", "65+"]}
counts = starling.count("visits.csv", by=["sex", "age"], domains=domains, epsilon=1)
counts.to_pandas().to_csv("counts.csv", index=False)
