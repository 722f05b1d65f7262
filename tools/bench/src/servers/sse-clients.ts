// Clients of an endpoint that streams, in a process of their own so that their CPU is not counted. Sockets and a count of
// bytes, no client of HTTP: what is measured must be the server. Ends with the process that forked it.
import { connect } from 'node:net'

/** What the clients are told: to send this request over so many connections, again and again, until there are so many answers. */
export interface ClientOrder {
  readonly port: number
  readonly connections: number
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly answers: number
}

/** What came of it. */
export interface ClientReport {
  readonly answers: number
  /** The first answer, head and chunks included. */
  readonly first: string
  /** Length of all answers in bytes: each must have as much as the first. */
  readonly bytes: number
}

/** How an answer of chunks ends. */
const END = Buffer.from('\r\n0\r\n\r\n')

process.on('message', (order: ClientOrder) => void send(order))
process.on('disconnect', () => process.exit())

async function send(order: ClientOrder): Promise<void> {
  const request = requestOf(order)
  let left = order.answers - order.connections
  const mayAsk = (): boolean => left-- > 0
  const reports = await Promise.all(
    Array.from({ length: order.connections }, () => oneClient(order.port, request, mayAsk)),
  )
  const sum = (key: 'answers' | 'bytes'): number => reports.reduce((total, report) => total + report[key], 0)
  const report: ClientReport = {
    answers: sum('answers'),
    bytes: sum('bytes'),
    first: reports[0]?.first ?? '',
  }
  process.send?.(report)
}

function requestOf({ port, path, headers, body }: ClientOrder): string {
  const lines = Object.entries({
    host: `127.0.0.1:${port}`,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}`)
  return `POST ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`
}

/** One request after the other, as long as there are any left. */
function oneClient(port: number, request: string, mayAsk: () => boolean): Promise<ClientReport> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    const pieces: Buffer[] = []
    let first = ''
    let answers = 0
    let bytes = 0
    socket.once('connect', () => socket.write(request))
    socket.on('data', (piece) => {
      bytes += piece.length
      if (answers === 0) pieces.push(piece)
      if (!isEnd(piece)) return
      if (answers === 0) first = Buffer.concat(pieces).toString('utf8')
      answers += 1
      if (mayAsk()) socket.write(request)
      else socket.end(() => resolve({ answers, bytes, first }))
    })
    socket.once('error', reject)
    socket.once('close', () => reject(new TypeError(`The server left after ${answers} answers: ${first}`)))
  })
}

/** The last bytes of an answer come in one piece, as they are written in one. */
function isEnd(piece: Buffer): boolean {
  return piece.length >= 5 && piece.subarray(-END.length).includes('0\r\n\r\n')
}
