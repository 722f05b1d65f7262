import { useEffect, useState } from 'react'

const TICK_MS = 100

/** The time in ms, followed while `isLive`. */
export function useNow(isLive: boolean): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (!isLive) return undefined
    const timer = setInterval(() => setNow(Date.now()), TICK_MS)
    return () => clearInterval(timer)
  }, [isLive])
  return now
}
