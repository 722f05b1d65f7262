/** One step on the way. */
export function step() {
  return 'done'
}
