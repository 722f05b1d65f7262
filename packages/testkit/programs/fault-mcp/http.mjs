import { createServer } from 'node:http'
import { gzipSync } from 'node:zlib'
import { answerMethod, isCall, noteCancelled, resultOf, runTool } from './tools.mjs'

const MEBIBYTE = Buffer.alloc(1024 * 1024, 'x')
/** A member of a gzip stream, which may have as many as it likes. */
const ZIPPED_MEBIBYTE = gzipSync(MEBIBYTE)
const JSON_HEAD = { 'content-type': 'application/json' }
const STREAM_HEAD = { 'content-type': 'text/event-stream' }
const streams = new Set()
const counts = { sentBytes: 0, sentWhole: 0, requests: 0, followed: 0 }

/** What may be wrong with one answer, by name: from the start, or as a tool. */
const FAULTS = {
  unauthorized: (response) => response.writeHead(401, { 'www-authenticate': 'Bearer' }).end('who are you?'),
  not_found: (response) => response.writeHead(404).end('<html>nothing here</html>'),
  redirect: (response) => response.writeHead(307, { location: 'http://127.0.0.2:9/private' }).end(),
  elsewhere: (response, { port }) =>
    response.writeHead(307, { location: `http://localhost:${port}/followed` }).end(),
  drop_stream: (response) => {
    response.writeHead(200, STREAM_HEAD)
    response.write(': under way\n\n', () => response.destroy())
  },
  drop: (response) => response.destroy(),
  slow_headers: () => undefined,
  slow_body: (response) => response.writeHead(200, JSON_HEAD).write('{"jsonrpc":'),
  wrong_type: (response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html>hello</html>'),
  no_json: (response) => response.writeHead(200, JSON_HEAD).end('{"jsonrpc": oops'),
  // 2 GiB, as fast as they are taken
  endless: (response, { id }) => {
    response.writeHead(200, JSON_HEAD)
    response.write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"`)
    pour(response, { block: MEBIBYTE, times: 2048 })
  },
  endless_stream: (response) => {
    response.writeHead(200, STREAM_HEAD)
    response.write('data: {"jsonrpc":"2.0","result":"')
    pour(response, { block: MEBIBYTE, times: 2048 })
  },
  // 64 GiB in 69 MB: more than sockets take that nobody reads
  gzip_bomb: (response) => {
    response.writeHead(200, { ...JSON_HEAD, 'content-encoding': 'gzip' })
    pour(response, { block: ZIPPED_MEBIBYTE, times: 65_536 })
  },
}

export function serveHttp(fault) {
  const server = createServer((request, response) => void receive(server, { request, response, fault }))
  // connections that are not used go soon: tests wait until none is left
  server.keepAliveTimeout = 200
  server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`))
  // ends with the one who started it
  process.stdin.on('end', () => process.exit(0)).resume()
}

async function receive(server, { request, response, fault }) {
  if (request.url === '/status') {
    status(server, response)
    return
  }
  counts.requests += 1
  if (request.url === '/followed') counts.followed += 1
  if (request.method === 'GET') openStream(request, response)
  else if (request.method === 'POST') {
    const message = await readMessage(request)
    const { port } = server.address()
    if (Object.hasOwn(FAULTS, fault)) FAULTS[fault](response, { ...message, port })
    else take(message, response, port)
  } else response.writeHead(405).end()
}

function take({ id, method, params = {} }, response, port) {
  if (method === 'notifications/cancelled') noteCancelled()
  if (id === undefined) response.writeHead(202).end()
  else if (isCall(method)) callTool({ id, method, params }, response, port)
  else {
    const result = answerMethod(method, params, Object.keys(FAULTS))
    const error = { code: -32601, message: 'Method not found' }
    send(response, { id, ...(result === undefined ? { error } : { result }) })
  }
}

function callTool({ id, method, params }, response, port) {
  if (Object.hasOwn(FAULTS, params.name)) FAULTS[params.name](response, { id, port })
  else if (!runTool(params, doorOf({ id, method, params }, response)))
    send(response, { id, error: { code: -32602, message: `no tool ${params.name}` } })
}

function doorOf({ id, method, params }, response) {
  const event = (message) => {
    if (!response.headersSent) response.writeHead(200, STREAM_HEAD)
    response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`)
  }
  return {
    answer: (answered) => {
      const result = resultOf(method, answered)
      if (response.headersSent) {
        event({ id, result })
        response.end()
      } else send(response, { id, result })
    },
    fail: (code, message) => send(response, { id, error: { code, message } }),
    notify: (method) => {
      for (const stream of streams) stream.write(`data: ${JSON.stringify({ jsonrpc: '2.0', method })}\n\n`)
    },
    progress: async (step) => {
      const { _meta: meta } = params
      const progressToken = meta?.progressToken
      event({ method: 'notifications/progress', params: { progressToken, progress: step, total: 2 } })
    },
    flood: (lines) => {
      const data = 'x'.repeat(1000)
      for (let line = 0; line < lines; line += 1)
        event({ method: 'notifications/message', params: { level: 'info', data } })
    },
    junk: () => {
      event({ method: 'notifications/unheard-of' })
      response.write(': nothing\n\ndata: {"not": "a message"}\n\nevent: other\ndata: junk\n\n')
    },
  }
}

function send(response, message) {
  response.writeHead(200, JSON_HEAD).end(JSON.stringify({ jsonrpc: '2.0', ...message }))
}

/** The stream on which a server of the older protocol speaks first. */
function openStream(request, response) {
  response.writeHead(200, STREAM_HEAD).flushHeaders()
  streams.add(response)
  request.on('close', () => streams.delete(response))
}

/** Writes a block many times, as fast as it is taken. */
function pour(stream, { block, times }) {
  let left = times
  const next = () => {
    let isTaken = true
    while (isTaken && left > 0 && !stream.destroyed) {
      left -= 1
      counts.sentBytes += block.length
      isTaken = stream.write(block)
    }
    if (!isTaken) return stream.once('drain', next)
    if (!stream.destroyed) counts.sentWhole += 1
    return stream.end()
  }
  next()
}

function status(server, response) {
  server.getConnections((_error, sockets) => {
    response.writeHead(200, { ...JSON_HEAD, connection: 'close' })
    // this one is not counted
    response.end(JSON.stringify({ ...counts, sockets: sockets - 1, pid: process.pid }))
  })
}

async function readMessage(request) {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString() || '{}')
}
