"""Draws the vorticity of flow_to_zarr: plot.py [GROUP [PICTURE]]; needs zarr and matplotlib."""

import sys

import matplotlib
matplotlib.use("svg")
import matplotlib.pyplot as plt
import numpy as np
import zarr

path = sys.argv[1] if len(sys.argv) > 1 else "target/flow/flow.zarr"
cells = zarr.open_group(path, mode="r")
wall, f = cells["wall"][:], [cells[f"f.{k}"][:] for k in range(8)]
density = cells["rest"][:] + sum(f)
down, right = (f[1] - f[3] + f[4] + f[5] - f[6] - f[7]) / density, (f[0] - f[2] + f[4] - f[5] - f[6] + f[7]) / density
vorticity = np.ma.array(np.gradient(down, axis=1) - np.gradient(right, axis=0), mask=wall)
print(f"{wall.sum()} of {wall.size} cells are wall")

plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "flow", "image.cmap": "RdBu_r"})
figure, axes = plt.subplots(figsize=(7, 2.5), layout="constrained")
axes.set_facecolor("dimgray")
picture = axes.imshow(vorticity[::2, ::2], vmin=-0.02, vmax=0.02, extent=(0, wall.shape[1], wall.shape[0], 0), interpolation="none")
axes.set(xlabel="column", ylabel="row", title="Vorticity of a flow around a cylinder, per step")
figure.colorbar(picture, ticks=[-0.02, -0.01, 0, 0.01, 0.02], shrink=0.72)
figure.savefig(sys.argv[2] if len(sys.argv) > 2 else path.replace(".zarr", ".svg"), metadata={"Date": None, "Creator": None})
