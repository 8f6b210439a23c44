'use strict'
/**
 * Judge every packet that minecraft-protocol 1.68.0 is about to send. mineflayer 4.39.0 has no hook before an action,
 * and its pathfinder and plug-ins act on their own. A packet that is refused here is refused to all of them.
 */

/** @param {Bot} bot @param {Record<string, (packet: any) => void>} judges by the name of a packet; each may throw */
function judgePackets (bot, judges) {
  const client = bot._client
  const write = client.write.bind(client)
  client.write = (name, packet) => {
    if (judges[name]) judges[name](packet)
    return write(name, packet)
  }
}

module.exports = { judgePackets }
