"""Areas as the released unit: public polygons with a public hierarchy, and the points that lie in each."""
