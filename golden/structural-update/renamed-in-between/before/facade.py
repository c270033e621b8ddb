from mid import three_times as triple
from mid import two_times as double
