"""A pretend Discord: REST and gateway on loopback, and the phones of the people who write there."""
