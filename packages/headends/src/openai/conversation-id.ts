const PREFIX = 'run_'

/** Creates the id of a conversation from that of its session. */
export function conversationId(sessionId: string): string {
  return `conv_${sessionId.slice(PREFIX.length)}`
}

/** Returns the session of a conversation id. Returns `undefined` if it is not one of Troupe's. */
export function readConversationId(id: string): string | undefined {
  const [, session] = /^conv_([\w-]{1,100})$/u.exec(id) ?? []
  return session === undefined ? undefined : `${PREFIX}${session}`
}
