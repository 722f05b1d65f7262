import { Bell } from 'lucide-react'
import { useState, type ReactElement } from 'react'
import { Button } from '../ui/button.tsx'
import { askForNotifications, notificationState } from './notifications.ts'
import { TOUCH } from './touch.ts'

/** Offers notifications about new approvals while the page is in the background, until the person has chosen. */
export function NotifyButton(): ReactElement | null {
  const [state, setState] = useState(notificationState)
  if (state !== 'default') return null
  return (
    <Button className={TOUCH} onClick={() => void askForNotifications().then(setState)}>
      <Bell aria-hidden="true" className="size-4" />
      Notify me
    </Button>
  )
}
