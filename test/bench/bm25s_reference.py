"""Ranks a test collection by the BM25 of bm25s. Reads {"documents": […], "queries": […]}, writes the ten best of each query."""

import json
import sys

import bm25s
import Stemmer

collection = json.load(sys.stdin)
stemmer = Stemmer.Stemmer("porter")


def tokens(texts):
    return bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False)


index = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
index.index(tokens(collection["documents"]), show_progress=False)
best, _ = index.retrieve(tokens(collection["queries"]), k=10, show_progress=False)
json.dump(best.tolist(), sys.stdout)
