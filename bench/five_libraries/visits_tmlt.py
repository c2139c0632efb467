from pyspark.sql import SparkSession
from tmlt.analytics import AddOneRow, KeySet, PureDPBudget, QueryBuilder, Session

domains = {"sex": ["F", "M"], "age": ["0-17", "18-64", "65+"]}
spark = SparkSession.builder.getOrCreate()
visits = spark.read.csv("visits.csv", header=True)
session = Session.from_dataframe(PureDPBudget(1), "visits", visits, protected_change=AddOneRow())
query = QueryBuilder("visits").groupby(KeySet.from_dict(domains)).count()
session.evaluate(query, PureDPBudget(1)).toPandas().to_csv("counts.csv", index=False)
