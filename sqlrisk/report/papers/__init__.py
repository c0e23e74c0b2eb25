"""Tables as published papers print them."""
