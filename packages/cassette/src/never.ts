/** A promise that never settles, for callers in a replay that has been cancelled. */
export const NEVER: Promise<never> = new Promise<never>(() => {
  // the cancelled run does not need a result
})
