#pragma once
#include <isa-l.h>
#include <stdlib.h>

// What one thread deflates and inflates with.
typedef struct subledger_deflate {
    struct isal_zstream deflater;
    struct isal_dict dictionary;
    struct inflate_state inflater;
    // What level 1 works in, for texts as short as a notification.
    uint8_t level_buffer[ISAL_DEF_LVL1_SMALL];
} subledger_deflate;

static inline void subledger_deflate_reset(subledger_deflate *state) {
    isal_deflate_reset(&state->deflater);
    state->deflater.level = 1;
    state->deflater.level_buf = state->level_buffer;
    state->deflater.level_buf_size = sizeof state->level_buffer;
    state->deflater.gzip_flag = IGZIP_DEFLATE;
    state->deflater.flush = NO_FLUSH;
    state->deflater.end_of_stream = 1;
}

// Null without memory. Keeps no pointer to the dictionary, which it has read when it returns.
static inline subledger_deflate *subledger_deflate_make(const uint8_t *dictionary, uint32_t length) {
    subledger_deflate *state = (subledger_deflate *)calloc(1, sizeof *state);
    if (state == NULL) return NULL;
    isal_deflate_init(&state->deflater);
    subledger_deflate_reset(state);
    if (length > 0
        && isal_deflate_process_dict(&state->deflater, &state->dictionary, (uint8_t *)dictionary, length) != COMP_OK) {
        free(state);
        return NULL;
    }
    return state;
}

static inline void subledger_deflate_free(subledger_deflate *state) { free(state); }

// The number of bytes written, 0 when they do not fit into `capacity`.
static inline uint32_t subledger_deflate_run(
    subledger_deflate *state, const uint8_t *plain, uint32_t length, uint8_t *packed, uint32_t capacity
) {
    subledger_deflate_reset(state);
    if (state->dictionary.hist_size > 0
        && isal_deflate_reset_dict(&state->deflater, &state->dictionary) != COMP_OK) return 0;
    state->deflater.next_in = (uint8_t *)plain;
    state->deflater.avail_in = length;
    state->deflater.next_out = packed;
    state->deflater.avail_out = capacity;
    if (isal_deflate(&state->deflater) != COMP_OK
        || state->deflater.internal_state.state != ZSTATE_END) return 0;
    return state->deflater.total_out;
}

// Whether `packed` is the deflated form of exactly `length` bytes, which are then in `plain`; it has room for one more.
static inline int subledger_inflate_run(
    subledger_deflate *state, const uint8_t *packed, uint32_t packed_length, uint8_t *plain, uint32_t length,
    const uint8_t *dictionary, uint32_t dictionary_length
) {
    struct inflate_state *inflater = &state->inflater;
    isal_inflate_reset(inflater);
    inflater->crc_flag = ISAL_DEFLATE;
    if (dictionary_length > 0
        && isal_inflate_set_dict(inflater, (uint8_t *)dictionary, dictionary_length) != ISAL_DECOMP_OK) return 0;
    inflater->next_in = (uint8_t *)packed;
    inflater->avail_in = packed_length;
    inflater->next_out = plain;
    inflater->avail_out = length + 1;
    // Whole bytes that it has taken and not used wait in read_in.
    return isal_inflate(inflater) == ISAL_DECOMP_OK && inflater->block_state == ISAL_BLOCK_FINISH
        && inflater->avail_in == 0 && inflater->read_in_length < 8 && inflater->total_out == length;
}
