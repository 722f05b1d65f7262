/** Returns a folder with the agent of the design document, which offers `book_flight`; its functions print to every stream. */
export function travelAgent({
  script = "- {say: 'Booked: {{input}}'}",
  model = 'script/script.yaml',
  fields = '',
}: {
  readonly script?: string
  readonly model?: string
  readonly fields?: string
} = {}): Readonly<Record<string, string>> {
  return { 'travel.md': card({ model, fields }), 'script.yaml': scriptOf(script), 'noise.mjs': NOISE }
}

function card({ model, fields }: { readonly model: string; readonly fields: string }): string {
  return `---
name: Travel
description: Books journeys.
version: 1.2.0
mode: tools
model: ${model}
functionTools: [noise.mjs:shout]
exports:
  tools:
    - name: book_flight
      description: Books a flight ticket for a user.
      parameters:
        type: object
        properties:
          destination:
            type: string
            description: The destination city and country (e.g., 'Paris, France').
          departure_date:
            type: string
            description: The desired date of departure, in YYYY-MM-DD format.
        required: [destination, departure_date]
      prompt: The user wants to book a flight to {destination} on {departure_date}, please book accordingly
${fields}
---
Book it.
`
}

function scriptOf(script: string): string {
  const steps = script.split('\n').map((line) => `    ${line}`)
  return `agents:\n  Travel:\n${steps.join('\n')}\n`
}

const NOISE = `
process.stdout.write('{"noise": "while it is loaded"}\\n')
export function shout() {
  process.stdout.write('{"noise": "written"}\\n')
  console.log('noise logged')
  process.emitWarning('noise warned')
  return 'done'
}
shout.description = 'Shouts.'
`
