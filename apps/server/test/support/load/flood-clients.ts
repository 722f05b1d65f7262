// A flood of requests from a process of its own, at a fixed rate however long the answers take. Takes one order and sends one report.
import { connect } from 'node:net'

/** The rate and length of a flood. */
export interface FloodOrder {
  readonly port: number
  readonly perSecond: number
  /** How many of them are malformed. */
  readonly wrongPerSecond: number
  readonly seconds: number
}

/** The answers to a flood. */
export interface FloodReport {
  readonly sent: number
  /** Answers by status, to valid and to malformed requests. */
  readonly right: Readonly<Record<number, number>>
  readonly wrong: Readonly<Record<number, number>>
  /** Answers with a `Retry-After` header, which 429 and 503 must have. */
  readonly retryAfter: number
  /** Connections that ended without an answer. */
  readonly unanswered: number
  /** The 99th percentile of the time from sending a valid request to the end of its answer, in ms. */
  readonly p99: number
}

interface Request {
  readonly isRight: boolean
  readonly text: string
}

const TICK_MS = 10
const CONNECTIONS = 200

process.once('message', (order: FloodOrder) => void flood(order))
process.on('disconnect', () => process.exit())

async function flood(order: FloodOrder): Promise<void> {
  const pool = createPool(order.port)
  const begun = performance.now()
  const total = order.perSecond * order.seconds
  for (let sent = 0; sent < total;) {
    const due = Math.min(total, Math.floor(((performance.now() - begun) / 1000) * order.perSecond))
    for (; sent < due; sent += 1) pool.send(requestAt(sent, order))
    await new Promise((resolve) => setTimeout(resolve, TICK_MS))
  }
  process.send?.(await pool.finish())
}

/** Returns a request of the flood. Malformed ones are spread evenly: each hundred has the same share as each second. */
function requestAt(index: number, { port, perSecond, wrongPerSecond }: FloodOrder): Request {
  const share = 1 - wrongPerSecond / perSecond
  const isRight = Math.floor((index + 1) * share) > Math.floor(index * share)
  const wrong = WRONG[index % WRONG.length] ?? WRONG[0]
  return { isRight, text: isRight ? get(port, '/v1/Parrot?q=Hi') : wrong(port) }
}

const json = (port: number, path: string, body: string, type = 'application/json'): string =>
  `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: ${type}\r\ncontent-length: ${body.length}\r\n\r\n${body}`
const get = (port: number, path: string, header = ''): string =>
  `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${header}\r\n`

const WRONG: readonly [(port: number) => string, ...((port: number) => string)[]] = [
  (port) => get(port, '/v1/Nobody?q=Hi'),
  (port) => get(port, '/v1/Parrot'),
  (port) => json(port, '/v1/Parrot', '{'),
  (port) => json(port, '/openai/v1/chat/completions', 'x', 'text/plain'),
  (port) => get(port, '/nowhere'),
  (port) => get(port, '/v1/Parrot?q=Hi', 'origin: http://evil.example\r\n'),
  (port) => get(port, '/v1/Parrot?q=Hi').replace('127.0.0.1', 'evil.example'),
  (port) => json(port, '/mcp', '[]'),
  // not HTTP at all, and a head without an end: the server closes these connections
  () => 'nonsense\r\n\r\n',
  (port) => get(port, '/v1/Parrot?q=Hi', `x: ${'y'.repeat(20_000)}\r\n`),
]

interface Pool {
  send(request: Request): void
  finish(): Promise<FloodReport>
}

/** Creates a pool of connections; a request waits while all are in use. */
function createPool(port: number): Pool {
  const idle: ((request: Request) => void)[] = []
  const waiting: Request[] = []
  const counts = { right: {} as Record<number, number>, wrong: {} as Record<number, number> }
  const times: number[] = []
  let open = 0
  let sent = 0
  let retryAfter = 0
  let unanswered = 0
  let done = 0
  let tellDone: (() => void) | undefined

  const answered = ({ isRight }: Request, head: string, ms: number): void => {
    const status = Number(head.slice(9, 12))
    const of = isRight ? counts.right : counts.wrong
    of[status] = (of[status] ?? 0) + 1
    if (/\r\nretry-after: \d+/iu.test(head)) retryAfter += 1
    if (isRight) times.push(ms)
    over()
  }
  const over = (): void => {
    done += 1
    if (done === sent) tellDone?.()
  }

  function openOne(first: Request): void {
    open += 1
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    let current: Request | undefined
    let begun = 0
    let answer = ''
    const send = (request: Request): void => {
      current = request
      answer = ''
      begun = performance.now()
      socket.write(request.text)
    }
    socket.on('data', (piece) => {
      answer += piece.toString('latin1')
      const head = wholeHead(answer)
      if (current === undefined || head === undefined) return
      const request = current
      current = undefined
      answered(request, head, performance.now() - begun)
      if (/\r\nconnection: close/iu.test(head)) socket.destroy()
      else goOn(send)
    })
    socket.on('error', () => {
      // the connection closes
    })
    socket.once('close', () => {
      open -= 1
      const at = idle.indexOf(send)
      if (at >= 0) idle.splice(at, 1)
      if (current !== undefined) {
        unanswered += 1
        over()
      }
      const next = waiting.shift()
      if (next !== undefined) openOne(next)
    })
    send(first)
  }

  function goOn(send: (request: Request) => void): void {
    const next = waiting.shift()
    if (next === undefined) idle.push(send)
    else send(next)
  }

  return {
    send(request) {
      sent += 1
      const free = idle.pop()
      if (free !== undefined) free(request)
      else if (open < CONNECTIONS) openOne(request)
      else waiting.push(request)
    },
    async finish() {
      if (done < sent) await new Promise<void>((resolve) => (tellDone = resolve))
      times.sort((one, other) => one - other)
      const p99 = Math.round(times[Math.floor(times.length * 0.99)] ?? 0)
      return { sent, ...counts, retryAfter, unanswered, p99 }
    },
  }
}

/** Returns the head of an answer once it is complete. */
function wholeHead(answer: string): string | undefined {
  const end = answer.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const head = answer.slice(0, end)
  const [, length] = /\r\ncontent-length: (\d+)/iu.exec(head) ?? []
  if (length !== undefined) return answer.length >= end + 4 + Number(length) ? head : undefined
  const isChunked = /\r\ntransfer-encoding: chunked/iu.test(head)
  return !isChunked || answer.endsWith('0\r\n\r\n') ? head : undefined
}
