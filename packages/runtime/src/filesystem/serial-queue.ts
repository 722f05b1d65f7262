/**
 * Returns a function that runs tasks one after the other, so that parallel changes of one file are not lost.
 */
export function createSerialQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const next = last.then(work)
    last = next.catch(() => {
      // The caller gets the error; the next task starts anyway.
    })
    return next
  }
}
