"""From a request to ordered steps of plain SQL. Pure: nothing here touches a database."""
