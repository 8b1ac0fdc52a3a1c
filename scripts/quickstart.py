"""README's quick start."""

import spacy

nlp = spacy.blank("en")
nlp.add_pipe("elmo")  # bundled English weights: works at once, offline

river = nlp("He sat on the bank of the river.")
money = nlp("She put the money in the bank.")

print(river[4].vector.shape)  # one contextual vector a token
print(river[4].similarity(money[6]))  # below 1: "bank" in two contexts
print(river._.elmo.shape)  # (layers, tokens, width), float32
