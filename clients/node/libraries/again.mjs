// fetch() fails with this cause, in undici 8, for a request above GOAWAY's last
// stream id and for no other: the server has not looked at it (RFC 9113 §6.8;
// undici, lib/dispatcher/client-h2.js, onHttp2SessionGoAway).
// snippet:fetch-retry
const refused = (err) => err.cause?.code === 'UND_ERR_INFO' && err.cause.message.includes('"GOAWAY" frame received with code 0')

export async function again (send, tries = 5) { // send: () => fetch(url, { method: 'POST', body })
  try {
    return await send()
  } catch (err) {
    if (tries === 1 || !refused(err)) throw err
    return again(send, tries - 1)
  }
}
// snippet:end
