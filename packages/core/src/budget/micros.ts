/** Micro-USD per USD. Internally, money is an integer number of micro-USD. */
export const MICROS_PER_USD = 1_000_000
