"""Carries a group from one portal to another with the vendor's Python client, and looks at what came of it.

Usage: migrate.py SOURCE TARGET SOURCE_GROUP TARGET_GROUP ITEMS
SOURCE and TARGET are addresses of portals, ITEMS is the number of items that the source can export.
"""

import os
import sys
import tempfile

from arcgis.gis import GIS, ItemProperties


def main(source_url: str, target_url: str, source_group: str, target_group: str, items: int) -> None:
    source = GIS(source_url, "admin", "admin-pw", verify_cert=False)
    target = GIS(target_url, "admin", "admin-pw", verify_cert=False)
    print(f"signed in   versions {source.version} and {target.version}")

    package = source.groups.get(source_group).migration.create().result()
    assert package.type == "Export Package", package.type
    print(f"created     {package.title}, {package.size} bytes")

    with tempfile.TemporaryDirectory() as folder:
        path = package.download(save_path=folder)
        assert os.path.getsize(path) == package.size, os.path.getsize(path)
        print("downloaded  all of it")
        properties = ItemProperties(title="package", item_type="Export Package", tags=["epk"])
        uploaded = target.content.folders.get().add(properties, file=path).result()
        assert uploaded.size == package.size, uploaded.size
        print(f"uploaded    as {uploaded.id}")

    migration = target.groups.get(target_group).migration
    preview = migration.inspect(uploaded)
    assert preview["total"] == items, preview["total"]
    exist = [row["id"] for row in preview["results"] if row["exists"]]
    print(f"inspected   {preview['total']} items, {len(exist)} of them exist")

    result = migration.load(uploaded, overwrite=False).result()
    imported, skipped = result["itemsImported"], result["itemsSkipped"]
    assert len(imported) == items - len(exist), result
    assert len(skipped) == len(exist), result
    assert result["itemsFailedImport"] == [], result
    for item in imported:
        assert item.owner == "admin", item.owner
        assert target.content.get(item.id).title == item.title
    assert target.content.get(uploaded.id) is None
    print(f"loaded      {len(imported)} imported, {len(skipped)} skipped, the package is gone")


if __name__ == "__main__":
    main(*sys.argv[1:5], int(sys.argv[5]))
