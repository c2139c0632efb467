"""What answers will be worth and what a wanted error costs, before anything is spent: public, of the plan alone. It opens no genotypes."""
