import { Bell, BellOff } from 'lucide-react'
import { useEffect, useState, type ReactElement } from 'react'
import { useAction } from '../api/use-request.ts'
import { Button } from '../ui/button.tsx'
import { FailureNotice } from '../ui/notice.tsx'
import { askForNotifications, notificationState } from './notifications.ts'
import { readPushState, subscribeToPush, unsubscribeFromPush, type BrowserPush } from './push.ts'
import { TOUCH } from './touch.ts'

/**
 * Offers notifications about new approvals: from the server, so that they also arrive while the page is closed, or
 * from the page while it is in the background.
 */
export function NotifyButton(): ReactElement | null {
  const [permission, setPermission] = useState(notificationState)
  const [push, setPush] = useState<BrowserPush>()
  const [runs, setRuns] = useState(false)
  useEffect(() => void readPushState().then(setPush), [])
  const start = useAction(
    async () => {
      const answer = await askForNotifications()
      setPermission(answer)
      if (answer === 'granted' && push?.state === 'off') await subscribeToPush(push.publicKey, runs)
    },
    () => void readPushState().then(setPush),
  )
  const stop = useAction(unsubscribeFromPush, () => void readPushState().then(setPush))
  if (push === undefined) return null
  const canPush = push.state === 'off' && permission !== 'denied' && permission !== 'unavailable'
  const failure = start.failure ?? stop.failure
  return (
    <div className="flex flex-wrap items-center justify-end gap-x-3 gap-y-1">
      {failure === undefined ? null : <FailureNotice failure={failure} />}
      {canPush ? (
        <label className="flex min-h-6 items-center gap-2 text-small pointer-coarse:min-h-11">
          <input type="checkbox" checked={runs} onChange={({ target }) => setRuns(target.checked)} />
          also when a run ends
        </label>
      ) : null}
      {canPush || permission === 'default' ? (
        <Button className={TOUCH} disabled={start.isBusy} onClick={() => start.run()}>
          <Bell aria-hidden="true" className="size-4" />
          Notify me
        </Button>
      ) : null}
      {push.state === 'on' ? (
        <Button className={TOUCH} disabled={stop.isBusy} onClick={() => stop.run()}>
          <BellOff aria-hidden="true" className="size-4" />
          Stop notifying me
        </Button>
      ) : null}
    </div>
  )
}
