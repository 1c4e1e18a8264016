// A module of its own, so that these programs are no part of the lab.
module solutions

go 1.26
