// Clients of a streaming endpoint, in a process of their own so that their CPU time is not counted. They use plain sockets and
// count bytes, so that the server is the part that is measured. Ends with the process that started it.
import { connect } from 'node:net'

/** A request, sent again and again over a number of connections. */
export interface ClientOrder {
  readonly port: number
  readonly connections: number
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** When to stop: after a number of answers, or after a time in ms. */
  readonly until: { readonly answers: number } | { readonly ms: number }
}

/** The answers to an order. */
export interface ClientReport {
  readonly answers: number
  /** The first answer, including its headers and chunk sizes. */
  readonly first: string
  /** Length of all answers in bytes. */
  readonly bytes: number
}

/** The end of a chunked answer. */
const END = Buffer.from('\r\n0\r\n\r\n')

process.on('message', (order: ClientOrder) => void send(order))
process.on('disconnect', () => process.exit())

async function send(order: ClientOrder): Promise<void> {
  const request = requestText(order)
  const mayContinue = createLimit(order)
  const reports = await Promise.all(
    Array.from({ length: order.connections }, () => runClient(order.port, request, mayContinue)),
  )
  const sum = (key: 'answers' | 'bytes'): number => reports.reduce((total, report) => total + report[key], 0)
  const report: ClientReport = {
    answers: sum('answers'),
    bytes: sum('bytes'),
    first: reports[0]?.first ?? '',
  }
  process.send?.(report)
}

function createLimit({ until, connections }: ClientOrder): () => boolean {
  if ('ms' in until) {
    const end = performance.now() + until.ms
    return () => performance.now() < end
  }
  let left = until.answers - connections
  return () => left-- > 0
}

function requestText({ port, path, headers, body }: ClientOrder): string {
  const lines = Object.entries({
    host: `127.0.0.1:${port}`,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}`)
  return `POST ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`
}

/** Sends one request after the other while `mayContinue` returns true. */
function runClient(port: number, request: string, mayContinue: () => boolean): Promise<ClientReport> {
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
      if (mayContinue()) socket.write(request)
      else socket.end(() => resolve({ answers, bytes, first }))
    })
    socket.once('error', reject)
    socket.once('close', () =>
      reject(new Error(`The server closed the connection after ${answers} answers: ${first}`)),
    )
  })
}

/** The last bytes of an answer arrive in one piece, since they are written in one. */
function isEnd(piece: Buffer): boolean {
  return piece.length >= 5 && piece.subarray(-END.length).includes('0\r\n\r\n')
}
