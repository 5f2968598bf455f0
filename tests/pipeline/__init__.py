"""Many processes give what one gives, and survive the loss of any of them."""
