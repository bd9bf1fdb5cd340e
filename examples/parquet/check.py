"""Reads the files of events_to_parquet with pyarrow, and checks them: check.py [FOLDER]."""

import sys

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

folder = sys.argv[1] if len(sys.argv) > 1 else "target/events"
parquet = pq.read_table(f"{folder}/events.parquet")
arrow = pa.ipc.open_file(f"{folder}/events.arrow").read_all()
arrow.validate(full=True)
parquet.validate(full=True)

assert parquet.equals(arrow), "the files differ"
assert arrow.column_names == ["run", "number", "triggered", "pair", "vertex", "muons"], arrow.column_names
assert arrow.schema.field("vertex").type == pa.list_(pa.field("item", pa.float32(), nullable=False), 3)
count = arrow.num_rows
assert arrow["number"].to_pylist() == list(range(count))
assert pc.list_value_length(arrow["muons"]).to_pylist() == [2 + i % 3 for i in range(count)]
masses = pc.struct_field(arrow["pair"], "mass")
assert 60 <= pc.min(masses).as_py() and pc.max(masses).as_py() <= 120
assert arrow["muons"][1].as_py()[2]["charge"] == 1
print(f"pyarrow {pa.__version__} reads {count} events: mean mass {pc.mean(masses).as_py():.2f} GeV")
