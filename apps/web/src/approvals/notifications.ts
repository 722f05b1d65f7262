import type { ListedApproval } from '@troupe/client'
import { hrefOf } from '../route/route.ts'

/** Returns the permission to show notifications; `unavailable` without a secure connection. */
export function notificationState(): NotificationPermission | 'unavailable' {
  // Browsers define `Notification` on insecure pages too, but never show one there.
  return isSecureContext && 'Notification' in globalThis ? Notification.permission : 'unavailable'
}

/** Asks the person for the permission. Must be called from a click. */
export function askForNotifications(): Promise<NotificationPermission> {
  return Notification.requestPermission()
}

/** Returns the text that announces an approval or a question. */
export function announcementOf({
  path,
  toolName,
  asks,
}: Pick<ListedApproval, 'path' | 'toolName' | 'asks'>): string {
  const who = path.join(' › ')
  return asks === undefined ? `${who} wants to call ${toolName}` : `${who} asks a question`
}

/** Shows a notification that opens the list of approvals. Arguments are not part of it: a locked screen shows it. */
export async function showNotification(approval: ListedApproval): Promise<void> {
  if (notificationState() !== 'granted') return
  try {
    // The server notifies this browser itself.
    if (await isSubscribed()) return
    const notification = new Notification('Approval needed', {
      body: announcementOf(approval),
      tag: approval.approvalId,
    })
    notification.addEventListener('click', () => {
      window.focus()
      location.hash = hrefOf({ page: 'approvals' })
      notification.close()
    })
  } catch {
    // Chrome on Android shows notifications of service workers only.
  }
}

async function isSubscribed(): Promise<boolean> {
  if (!('serviceWorker' in navigator)) return false
  const registration = await navigator.serviceWorker.getRegistration()
  return registration !== undefined && (await registration.pushManager.getSubscription()) !== null
}
