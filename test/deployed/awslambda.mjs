// The emulator's Node lacks the global by which a function on Lambda streams its answer. This one collects the parts
// and hands them over whole, behind the prelude that a Function URL takes status and headers from.
import { Writable } from 'node:stream';

const separator = Buffer.alloc(8);

class Collected extends Writable {
  parts = [];
  _write(chunk, encoding, done) {
    this.parts.push(typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk);
    done();
  }
  setContentType() {}
}

globalThis.awslambda = {
  streamifyResponse: (handler) => async (event, context) => {
    const stream = new Collected();
    const closed = new Promise((resolve, reject) => stream.once('finish', resolve).once('error', reject));
    await handler(event, stream, context);
    await closed;
    return Buffer.concat(stream.parts).toString('utf8');
  },
  HttpResponseStream: {
    from(stream, prelude) {
      stream.write(JSON.stringify(prelude));
      stream.write(separator);
      return stream;
    },
  },
};
