// Programs that want an effect which their grant does not cover: it covers `wait`, three times, and nothing that destroys.

//# another command
async function f (bot) {
  await bot.act('forbidden')
  return 'THROUGH'
}

//# catching the refusal and going on
async function f (bot) {
  for (let i = 0; i < 20; i++) {
    try {
      await bot.act('forbidden')
      return 'THROUGH'
    } catch {}
  }
}

//# nobody waits for it
async function f (bot) {
  bot.act('forbidden').then(() => bot.chat('THROUGH'), () => {})
}

//# among others
async function f (bot) {
  const all = await Promise.allSettled([bot.act('wait'), bot.act('forbidden'), bot.act('wait')])
  return all[1].status === 'fulfilled' && 'THROUGH'
}

//# one too many
async function f (bot) {
  for (let i = 0; i < 4; i++) await bot.act('wait')
  return 'THROUGH'
}

//# a hundred at once
async function f (bot) {
  await Promise.all(Array.from({ length: 100 }, () => bot.act('wait')))
  return 'THROUGH'
}

//# something that destroys
async function f (bot) {
  await bot.act('destroy')
  return 'THROUGH'
}

//# after the end of main
async function f (bot) {
  bot.act('wait').then(() => bot.act('forbidden')).then(() => bot.chat('THROUGH'), () => {})
}

//# a name of JavaScript's own
async function f (bot) {
  await bot.act('__proto__')
  return 'THROUGH'
}

//# a name with an end of line
async function f (bot) {
  await bot.act('wait\n{"act":"forbidden","args":[],"id":1}')
  return 'THROUGH'
}

//# a line in the chat | shows acted
async function f (bot) {
  bot.chat('\n{"act":"forbidden","args":[],"id":1}\n')
}

//# a line in a chat text with line separators | shows acted
async function f (bot) {
  bot.chat('\u2028\n{"act":"forbidden","args":[],"id":1}\n\u2029')
}

//# the approval in the arguments
async function f (bot) {
  await bot.act('forbidden', { approved: true, beyond: '', grant: { names: ['forbidden'] } })
  return 'THROUGH'
}
