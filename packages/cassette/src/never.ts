/** What a replay waits for that was stopped: nobody goes on from there. */
export const NEVER: Promise<never> = new Promise<never>(() => {
  // the root is stopped: nobody waits for this any more
})
