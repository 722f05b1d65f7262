/** Loose on purpose: the provider contract depends on a package without types. */
export type JSONSchema7 = object
export type JSONSchema7Definition = object | boolean
