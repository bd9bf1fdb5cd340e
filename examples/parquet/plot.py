"""Draws the masses of events_to_parquet: plot.py [FILE [PICTURE]]; needs pyarrow and matplotlib."""

import sys

import matplotlib
matplotlib.use("svg")
import matplotlib.pyplot as plt
import pyarrow.parquet as pq

path = sys.argv[1] if len(sys.argv) > 1 else "target/events/events.parquet"
events = pq.read_table(path, columns=["triggered", "pair"]).combine_chunks()
masses, triggered = events["pair"].combine_chunks().field("mass").to_numpy(), events["triggered"].to_numpy()

plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "events", "font.size": 11})
figure, axes = plt.subplots(figsize=(7, 3.2), layout="constrained")
for part, label, color in [(masses, "all events", "#56b4e9"), (masses[triggered], "triggered", "#0072b2")]:
    axes.hist(part, bins=60, range=(60, 120), histtype="stepfilled", color=color, label=f"{label}: {len(part):,}")
axes.set(xlabel="mass of the muon pair in GeV", ylabel="events per GeV", xlim=(60, 120))
axes.annotate("Z boson: 91.2 GeV", (92.2, axes.get_ylim()[1] * 0.9), (98, axes.get_ylim()[1] * 0.87), arrowprops={"arrowstyle": "->"})
axes.legend(loc="upper left", frameon=False)
figure.savefig(sys.argv[2] if len(sys.argv) > 2 else path.replace(".parquet", ".svg"), metadata={"Date": None, "Creator": None})
