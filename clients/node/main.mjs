// One of the clients of libraries/, measured by the lab: see README.md.
import tls from 'node:tls'
import { WrongProtocol } from './lib/failure.mjs'
import { Stop, parse } from './lib/flags.mjs'
import { Meter } from './lib/meter.mjs'
import { Talk, say } from './lib/talk.mjs'
import { answer, summary } from './lib/tally.mjs'
import { run } from './lib/window.mjs'
import { variants } from './libraries/index.mjs'

function end (err) {
  console.error('node-client:', err instanceof Stop || err instanceof WrongProtocol ? err.message : err)
  process.exit(err instanceof Stop ? err.status : 1)
}

async function main () {
  const flags = parse(process.argv.slice(2))
  const open = variants[flags.variant]
  if (!open) throw new Stop(2, `--variant=${flags.variant} is unknown: give one of ${Object.keys(variants).join(' ')}`)
  tls.DEFAULT_MAX_VERSION = 'TLSv' + flags.maxTls // also for what takes no options, like fetch
  const meter = new Meter(flags.protocol, end)
  const { library, call } = await open(flags, meter)
  const talk = new Talk(flags.json)

  await talk.meet('READY')
  const warm = await run(call, flags, 'warm', flags.warmup)
  if (warm.succeeded === 0) throw new Stop(1, `no request of the warm-up succeeded (${warm.attempts} attempts): ${warm.groups[0]?.message}`)
  await talk.meet('WARM')
  const before = meter.read()
  const measured = await run(call, flags, 'run', flags.duration)
  await talk.meet('DONE')
  const a = answer(warm, measured, before, meter.read(), library)
  say(flags.json ? JSON.stringify(a) : summary(flags.variant, a))
  process.exit(0) // whatever still hangs
}

main().catch(end)
