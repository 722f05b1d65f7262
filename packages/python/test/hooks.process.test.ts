import { HAS_PYTHON, PYTHON_NOTE } from '@troupe/testkit/internal'
import { describe, expect, it } from 'vitest'
import { callOptions, pythonModule } from './python-support.ts'

describe.skipIf(!HAS_PYTHON)('Python hooks', () => {
  it.each(['async def', 'def'])(
    `a hook written with %s changes arguments and result around call_next${PYTHON_NOTE}`,
    async (define) => {
      const wait = define === 'def' ? '' : 'await '
      const { load } = await pythonModule(`
${define} shout(ctx, call_next):
    result = ${wait}call_next({"text": ctx.args.text.upper() + ctx.tool_name})
    result.content[0].text += "!"
    return result
`)
      const shout = await load('shout', 'hook')
      expect(shout.params).toBe(2)
      const calls: unknown[] = []
      const back = async (
        method: string,
        args: unknown,
      ): Promise<{ content: { type: string; text: string }[] }> => {
        calls.push([method, args])
        return { content: [{ type: 'text', text: 'heard' }] }
      }
      const ctx = { args: { text: 'hey' }, tool_name: '.say' }
      expect(await shout.hook('1', ctx, callOptions({ back }))).toEqual({
        content: [{ type: 'text', text: 'heard!' }],
      })
      expect(calls).toEqual([['call_next', { text: 'HEY.say' }]])
    },
  )

  it('the state of a hook lives for one run, until the run ends', async () => {
    const { load } = await pythonModule(`
def count(ctx, call_next):
    ctx.state["n"] = ctx.state.get("n", 0) + 1
    return ctx.state["n"]
`)
    const count = await load('count', 'hook')
    const ask = (run: string): Promise<unknown> => count.hook(run, { args: {} }, callOptions())
    expect([await ask('a'), await ask('a'), await ask('b')]).toEqual([1, 2, 1])
    count.endRun('a')
    expect([await ask('a'), await ask('b')]).toEqual([1, 2])
  })

  it('an error of call_next is an exception in the hook', async () => {
    const { load } = await pythonModule(`
async def guard(ctx, call_next):
    try:
        return await call_next()
    except RuntimeError as error:
        return f"caught {error}"
`)
    const guard = await load('guard', 'hook')
    const back = async (): Promise<never> => {
      throw new Error('gone')
    }
    expect(await guard.hook('1', { args: {} }, callOptions({ back }))).toBe('caught gone')
  })

  it('a sync hook that waits for call_next ends when it is cancelled', async () => {
    const { load } = await pythonModule(
      'def wait(ctx, call_next):\n    return call_next()\ndef pid(ctx, call_next):\n    import os\n    return os.getpid()\n',
    )
    const wait = await load('wait', 'hook')
    const pid = await load('pid', 'hook')
    const before = await pid.hook('1', { args: {} }, callOptions())
    const stop = new AbortController()
    const back = (): Promise<never> => {
      stop.abort()
      return new Promise(() => undefined)
    }
    await expect(wait.hook('1', { args: {} }, { signal: stop.signal, back })).rejects.toThrow('cancelled')
    expect(await pid.hook('1', { args: {} }, callOptions())).toBe(before)
  })
})
