// Requires every subpath of the library from CommonJS, and runs an agent.
const { runAgent } = require('troupe')
const { createClient } = require('troupe/client')
const { rateLimit } = require('troupe/hooks')
const { createServer } = require('troupe/server')
const { openStore } = require('troupe/store')
const { scriptedModel } = require('troupe/testing')

const missing = Object.entries({ createClient, rateLimit, createServer, openStore })
  .filter(([, value]) => typeof value !== 'function')
  .map(([name]) => name)
if (missing.length > 0) throw new Error(`Not exported: ${missing.join(', ')}.`)
void runAgent({ model: scriptedModel([{ text: 'Good day.' }]), instruction: 'Greet.' }, 'Hello').then(
  ({ outcome, text }) => console.log(`required: ${outcome}, ${text}`),
)
