package base

import "reflect"

// OrDefault returns the options o with those of d in place of fields that are zero, in structs inside too. An empty
// list is not zero. All fields are exported.
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
