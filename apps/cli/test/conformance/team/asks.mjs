/** Functions that ask the person at the other end. */

const text = { type: 'string' }

const form = (question, properties, { name, required = Object.keys(properties) } = {}) => ({
  question,
  ...(name === undefined ? {} : { name }),
  form: { type: 'object', properties, required },
})

const told = (what, answer) =>
  `${what}${answer.answered ? `action=accept, content=${answer.text}` : `none, as ${answer.reason}`}`

export async function whoAreYou({ message }, ctx) {
  const username = { ...text, description: "User's response" }
  const email = { ...text, description: "User's email address" }
  return told('User response: ', await ctx.ask(form(message, { username, email })))
}

export async function defaults(_args, ctx) {
  const fields = {
    name: { ...text, default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { ...text, enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  }
  const answer = await ctx.ask(form('Is this right?', fields, { required: [] }))
  return told('Elicitation completed: ', answer)
}

export async function choices(_args, ctx) {
  const titled = (words) => words.map((word, index) => ({ const: `value${index + 1}`, title: word }))
  const options = ['option1', 'option2', 'option3']
  const fields = {
    untitledSingle: { ...text, enum: options },
    titledSingle: { ...text, oneOf: titled(['First Option', 'Second Option', 'Third Option']) },
    legacyEnum: {
      ...text,
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: { type: 'array', items: { ...text, enum: options } },
    titledMulti: {
      type: 'array',
      items: { anyOf: titled(['First Choice', 'Second Choice', 'Third Choice']) },
    },
  }
  const answer = await ctx.ask(form('What do you take?', fields, { required: [] }))
  return told('Elicitation completed: ', answer)
}

export async function yourName(_args, ctx) {
  const answer = await ctx.ask(form('What is your name?', { name: text }, { name: 'user_name' }))
  return `Hello, ${answer.values?.name ?? 'stranger'}!`
}

export async function confirm(_args, ctx) {
  const answer = await ctx.ask(form('Please confirm', { ok: { type: 'boolean' } }, { name: 'confirm' }))
  return `state-ok ${answer.answered}`
}

export async function twoSteps(_args, ctx) {
  const first = await ctx.ask(form('Step 1: What is your name?', { name: text }, { name: 'step1' }))
  const color = 'Step 2: What is your favorite color?'
  const second = await ctx.ask(form(color, { color: text }, { name: 'step2' }))
  return `${first.values?.name} likes ${second.values?.color}.`
}
