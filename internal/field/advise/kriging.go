package advise

import (
	"math"
	"slices"
)

// Model are the parameters of one figure's corrections: the weights of the trend and of the local part, the distance
// over which the local part falls off, and the scatter of a cell.
type Model struct {
	Trend  float64 `json:"trend"`
	Local  float64 `json:"local"`
	Reach  float64 `json:"reach"`
	Jitter float64 `json:"jitter"`
}

// covariance is how alike the corrections of two places are: a linear trend in every coordinate, and a
// part that only near places share (universal kriging; Rasmussen and Williams, Gaussian Processes for Machine
// Learning, §2.7).
func (m Model) covariance(a, b []float64) float64 {
	dot, far := 1.0, 0.0
	for i := range a {
		dot += a[i] * b[i]
		far += (a[i] - b[i]) * (a[i] - b[i])
	}
	return m.Trend*m.Trend*dot + m.Local*m.Local*math.Exp(-far/(2*m.Reach*m.Reach))
}

// known are measured corrections: places, logarithms, and the standard deviations that the measurements' own scatter
// gives these, besides Model.Jitter.
type known struct {
	at              [][]float64
	values, scatter []float64
}

// surface is the logarithm of a correction over all places.
type surface struct {
	model       Model
	at          [][]float64
	weights     []float64
	least, most float64 // of the known corrections
}

// newSurface fits a surface to known corrections; nil where the parameters have no solution.
func newSurface(m Model, k known) *surface {
	l := m.factorise(k)
	if l == nil {
		return nil
	}
	values := k.values
	return &surface{model: m, at: k.at, weights: l.solve(values), least: slices.Min(values), most: slices.Max(values)}
}

// triangle is a lower triangular matrix, row by row.
type triangle [][]float64

// factorise returns the Cholesky factor of the places' covariances (Golub and Van Loan, Matrix Computations,
// algorithm 4.2.1); nil without places, or if they have none.
func (m Model) factorise(known known) triangle {
	at := known.at
	if len(at) == 0 {
		return nil
	}
	l := make(triangle, len(at))
	for i := range at {
		l[i] = make([]float64, i+1)
		for j := range i + 1 {
			v := m.covariance(at[i], at[j])
			if i == j {
				v += m.Jitter*m.Jitter + known.scatter[i]*known.scatter[i]
			}
			for k := range j {
				v -= l[i][k] * l[j][k]
			}
			switch {
			case i != j:
				l[i][j] = v / l[j][j]
			case v > 0:
				l[i][i] = math.Sqrt(v)
			default:
				return nil
			}
		}
	}
	return l
}

// solve returns the weights with which the covariances give the values.
func (l triangle) solve(values []float64) []float64 {
	x := slices.Clone(values)
	for i := range l {
		for k := range i {
			x[i] -= l[i][k] * x[k]
		}
		x[i] /= l[i][i]
	}
	for i := len(l) - 1; i >= 0; i-- {
		for k := i + 1; k < len(l); k++ {
			x[i] -= l[k][i] * x[k]
		}
		x[i] /= l[i][i]
	}
	return x
}

// value is the correction's logarithm at a place.
func (s *surface) value(x []float64) (sum float64) {
	for i, at := range s.at {
		sum += s.weights[i] * s.model.covariance(at, x)
	}
	return sum
}

// left is how unlikely the known corrections are, each judged by a fit to all others: the mean negative logarithm of the
// predictive density (Rasmussen and Williams, eq. 5.10 to 5.12); infinite where the parameters have no solution.
func (m Model) left(k known) float64 {
	l := m.factorise(k)
	if l == nil {
		return math.Inf(1)
	}
	weights, sum := l.solve(k.values), 0.0
	for i := range k.at {
		unit := make([]float64, len(k.at))
		unit[i] = 1
		precision := l.solve(unit)[i]
		sum += weights[i]*weights[i]/precision - math.Log(precision)
	}
	return sum / float64(2*len(k.at))
}

// fitting returns the parameters with which places that are left out of the fit are predicted best.
func fitting(k known) (best Model) {
	least := math.Inf(1)
	for _, trend := range []float64{0.1, 0.3, 1} {
		for _, local := range []float64{0.2, 0.4, 0.8} {
			for _, reach := range []float64{0.5, 0.8, 1.2, 2} {
				for _, jitter := range []float64{0.05, 0.1, 0.2, 0.4} {
					m := Model{trend, local, reach, jitter}
					if e := m.left(k); e < least {
						least, best = e, m
					}
				}
			}
		}
	}
	return best
}
