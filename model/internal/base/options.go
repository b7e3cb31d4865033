package base

import "reflect"

// OrDefault returns the options o, with the values of d for fields that are zero, also in nested structs. An empty list
// is not zero. All fields must be exported.
func OrDefault[O any](o, d O) O {
	fill(reflect.ValueOf(&o).Elem(), reflect.ValueOf(d))
	return o
}

func fill(o, d reflect.Value) {
	for i := range o.NumField() {
		switch f := o.Field(i); {
		case f.Kind() == reflect.Struct:
			fill(f, d.Field(i))
		case f.IsZero():
			f.Set(d.Field(i))
		}
	}
}
