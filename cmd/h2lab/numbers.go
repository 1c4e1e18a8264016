package main

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"time"

	"github.com/alecthomas/kong"
)

// numbers are the readers of numbers and durations. kong's own read 0100 as 64 and 0x10 as 16, and
// their errors speak of bits.
func numbers() []kong.Option {
	return []kong.Option{
		kong.KindMapper(reflect.Int, word("number", readInt)),
		kong.KindMapper(reflect.Uint32, word("number", readUint)),
		kong.KindMapper(reflect.Uint64, word("number", readUint)),
		kong.KindMapper(reflect.Float64, word("number", readFloat)),
		kong.TypeMapper(reflect.TypeFor[time.Duration](), word("duration", readDuration)),
	}
}

// word is a mapper that reads one word of the command line or of an environment variable.
func word(what string, read func(string, reflect.Value) error) kong.MapperFunc {
	return func(ctx *kong.DecodeContext, target reflect.Value) error {
		var s string
		if err := ctx.Scan.PopValueInto(what, &s); err != nil {
			return err
		}
		return read(s, target)
	}
}

func readInt(s string, target reflect.Value) error {
	n, err := strconv.ParseInt(s, 10, target.Type().Bits())
	if err != nil {
		return wholeNumber(s, err)
	}
	target.SetInt(n)
	return nil
}

func readUint(s string, target reflect.Value) error {
	n, err := strconv.ParseUint(s, 10, target.Type().Bits())
	if err != nil {
		return wholeNumber(s, err)
	}
	target.SetUint(n)
	return nil
}

func wholeNumber(s string, err error) error {
	if errors.Is(err, strconv.ErrRange) {
		return fmt.Errorf("%q is too large a number", s)
	}
	return fmt.Errorf("%q is not a whole number written in digits, for example 1000", s)
}

func readFloat(s string, target reflect.Value) error {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return fmt.Errorf("%q is not a number, for example 0.5", s)
	}
	target.SetFloat(f)
	return nil
}

func readDuration(s string, target reflect.Value) error {
	d, err := time.ParseDuration(s)
	if err != nil {
		return fmt.Errorf("%q is not a duration with its unit, for example 300ms, 5s or 2m", s)
	}
	target.SetInt(int64(d))
	return nil
}
