"""What every client program of this folder needs, whatever its library."""
