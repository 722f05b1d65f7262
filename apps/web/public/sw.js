// Shows notifications of the server and opens the page on a click. It does nothing else: no files are cached.

const TITLES = { approval: 'Approval needed', question: 'Question', end: 'Run ended' }

self.addEventListener('push', (event) => {
  const { kind, agent, about, address } = readMessage(event.data)
  const body = {
    approval: `${agent} wants to call ${about}`,
    question: `${agent} asks a question`,
    end: `${agent}: ${about}`,
  }[kind]
  const options = { body, tag: address, data: { address }, icon: 'icon-192.png' }
  event.waitUntil(self.registration.showNotification(TITLES[kind], options))
})

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(
    self.clients.openWindow(new URL(event.notification.data.address, self.registration.scope).href),
  )
})

/** Reads a message. Browsers require a notification for each one, so one that cannot be read gets a general text. */
function readMessage(data) {
  try {
    const { kind, agent, about, address } = data.json()
    if (Object.hasOwn(TITLES, kind) && address.startsWith('#/'))
      return { kind, agent: String(agent), about: String(about), address }
  } catch {
    // Not a message of the server.
  }
  return { kind: 'approval', agent: 'An agent', about: 'a tool', address: '#/approvals' }
}
