const ID = '\nid: '
const TIME = '"time":'
const TIME_DIGITS = 13
const LAGGED = '\nevent: lagged'

/** Creates a reader of stream bytes that reports the `seq` and the time of each persisted event and skips everything else. */
export function createIdReader({
  onEvent,
  onLagged,
}: {
  onEvent(id: number, time: number): void
  onLagged(): void
}): (piece: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0)
  return (piece) => {
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece])
    if (bytes.includes(LAGGED)) onLagged()
    let at = bytes.indexOf(ID)
    let done = Math.max(0, bytes.length - ID.length)
    while (at >= 0) {
      const time = bytes.indexOf(TIME, at)
      const end = time + TIME.length + TIME_DIGITS
      if (time < 0 || end > bytes.length) {
        done = at
        break
      }
      onEvent(numberAt(bytes, at + ID.length), numberAt(bytes, time + TIME.length))
      at = bytes.indexOf(ID, end)
      done = Math.max(end, bytes.length - ID.length)
    }
    rest = bytes.subarray(done)
  }
}

function numberAt(bytes: Buffer, start: number): number {
  let value = 0
  for (let at = start; at < bytes.length; at += 1) {
    const digit = (bytes[at] ?? 0) - 48
    if (digit < 0 || digit > 9) break
    value = value * 10 + digit
  }
  return value
}
