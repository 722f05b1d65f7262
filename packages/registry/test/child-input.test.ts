import { defineAgent, type JsonObject } from '@troupe/schema'
import { verifies } from '@troupe/testkit/internal'
import { assert, dictionary, jsonValue, pre, property, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { childInputSchema, PERMISSIVE_INPUT, toChildInput } from '../src/index.ts'

const child = (schema?: JsonObject) =>
  defineAgent({
    name: 'Child',
    instruction: 'Help.',
    ...(schema === undefined ? {} : { input: { schema } }),
  })
const textOnly = { type: 'object', properties: { topic: { type: 'string' } } }
const two = { type: 'object', properties: { topic: { type: 'string' }, depth: { type: 'integer' } } }

describe('input of a child without an input schema', () => {
  const input = (args: JsonObject) => toChildInput(child(), args)

  it(`the input of a child without a schema is the text unchanged ${verifies('A42')}`, () => {
    expect(input({ text: 'Grüße', json: { a: 1 } })).toBe('Grüße')
    expect(input({ text: '' })).toBe('')
  })

  it(`the input of a child without a schema is the JSON of a json object, without escapes beyond ASCII ${verifies('A43')}`, () => {
    expect(input({ json: { city: 'Zürich', say: '你好' } })).toBe('{"city":"Zürich","say":"你好"}')
    expect(input({ text: 7, json: {} })).toBe('{}')
  })

  it(`the input of a child without a schema is the text form of any other json value ${verifies('A44')}`, () => {
    expect(input({ json: 42 })).toBe('42')
    expect(input({ json: true })).toBe('true')
    expect(input({ json: null })).toBe('null')
    expect(input({ json: 'as is' })).toBe('as is')
  })

  it('the input of a child without a schema keeps the content of a list passed as json', () => {
    expect(input({ json: [1, { a: 2 }] })).toBe('[1,{"a":2}]')
  })

  it(`the input of a child without a schema is the JSON of all other arguments ${verifies('A45')}`, () => {
    expect(input({ topic: 'café', depth: 2 })).toBe('{"topic":"café","depth":2}')
    expect(input({ text: 5 })).toBe('{"text":5}')
  })

  it(`the input of a child without a schema is empty without arguments ${verifies('A46')}`, () => {
    expect(input({})).toBe('')
  })

  it('the input of a child without a schema loses no argument, whatever the model sends', () => {
    assert(
      property(dictionary(string(), jsonValue()), (args) => {
        const sent = args as JsonObject
        const own = (key: string) => Object.hasOwn(sent, key)
        pre(!own('json') && typeof (own('text') ? sent['text'] : undefined) !== 'string')
        const text = input(sent)
        expect(text === '' ? {} : JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(sent)))
      }),
    )
  })
})

describe('input of a child with an input schema', () => {
  it(`the input of a child with a schema is the bare text if its only property is a string ${verifies('R3')}`, () => {
    expect(toChildInput(child(textOnly), { topic: 'moon' })).toBe('moon')
    expect(toChildInput(child(textOnly), {})).toBe('')
  })

  it('the input of a child with a schema is the JSON of all arguments if one is undeclared', () => {
    expect(toChildInput(child(textOnly), { topic: 'moon', extra: 1 })).toBe('{"topic":"moon","extra":1}')
  })

  it('the input of a child with a schema is otherwise the JSON of all arguments, with `text` not special', () => {
    expect(toChildInput(child(two), { topic: 'moon', depth: 1 })).toBe('{"topic":"moon","depth":1}')
    const named = { type: 'object', properties: { text: { type: 'string' }, tone: { type: 'string' } } }
    expect(toChildInput(child(named), { text: 'hi', tone: 'dry' })).toBe('{"text":"hi","tone":"dry"}')
  })

  it('the input of a child with a schema can always be parsed again', () => {
    assert(
      property(dictionary(string(), jsonValue()), (args) => {
        const sent = args as JsonObject
        expect(JSON.parse(toChildInput(child(two), sent))).toEqual(JSON.parse(JSON.stringify(sent)))
      }),
    )
  })

  it('the input of a child is described by its schema or by the permissive one', () => {
    expect(childInputSchema(child(two))).toEqual(two)
    expect(childInputSchema(child())).toBe(PERMISSIVE_INPUT)
  })
})
