"""Learn the weights of the ranking from questions with known answers (`memspan fit`); searches need none of it."""
