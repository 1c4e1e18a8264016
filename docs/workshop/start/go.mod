// A module of its own: a program that doesn't build breaks nothing of the lab.
module workshop

go 1.26
