"""From a scenario laid out over its files to ordered steps of plain SQL. Pure: nothing here touches
a database.
"""
