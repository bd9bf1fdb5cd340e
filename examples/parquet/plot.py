"""Draws the masses of events_to_parquet as PNG: plot.py [FILE [PICTURE]]; needs pyarrow and matplotlib."""

import sys

import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
import pyarrow.parquet as pq

path = sys.argv[1] if len(sys.argv) > 1 else "target/events/events.parquet"
pairs = pq.read_table(path, columns=["pair"])["pair"].combine_chunks()
plt.hist(pairs.field("mass").to_numpy(), bins=60, range=(60, 120))
plt.xlabel("mass of the muon pair [GeV]")
plt.ylabel("events per GeV")
plt.savefig(sys.argv[2] if len(sys.argv) > 2 else path.replace(".parquet", ".png"))
