import { useEffect, useState } from 'react'
import { useServerLink } from '../api/server-link.ts'

const TICK_MS = 100

/**
 * Returns the time in ms, updated while `isLive` is true and the server responds. It stops if the server is
 * lost, because the run may have ended.
 */
export function useNow(isLive: boolean): number {
  const { isLost } = useServerLink()
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (!isLive || isLost) return undefined
    const timer = setInterval(() => setNow(Date.now()), TICK_MS)
    return () => clearInterval(timer)
  }, [isLive, isLost])
  return now
}
