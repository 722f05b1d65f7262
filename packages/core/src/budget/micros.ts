/** Money is whole micro-USD inside. */
export const MICROS_PER_USD = 1_000_000
