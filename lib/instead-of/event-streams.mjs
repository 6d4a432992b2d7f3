// What reads a stream of events. Every client can load it when an answer is one; of those we call, only Bedrock's ever is.
export {};
