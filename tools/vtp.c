#include "vtp.h"

#include "number.h"

#include <string.h>

static const char *const place_names[SCREE_VTP_PLACES] = {"Points", "PointData", "CellData", "Verts", "Polys"};
static const char *const type_names[] = {"Float32", "Int32", "UInt32"};

static size_t bytes_of(const scree_vtp_array *array)
{
    return 4 * array->components * array->count;
}

/* Names of channels come from a file. */
static void put_name(FILE *out, const char *name)
{
    for (; *name; name++)
        fputc(strchr("<>&\"'", *name) || (unsigned char)*name < 0x20 ? '_' : *name, out);
}

static void write_places(FILE *out, const scree_vtp *vtp)
{
    uint64_t offset = 0;
    for (int place = 0; place < SCREE_VTP_PLACES; place++) {
        fprintf(out, "      <%s>\n", place_names[place]);
        for (size_t i = 0; i < vtp->array_count; i++) {
            const scree_vtp_array *array = &vtp->arrays[i];
            if ((int)array->place != place)
                continue;
            fprintf(out, "        <DataArray type=\"%s\" Name=\"", type_names[array->type]);
            put_name(out, array->name);
            fprintf(out, "\" NumberOfComponents=\"%u\" format=\"appended\" offset=\"%llu\"/>\n",
                    (unsigned)array->components, (unsigned long long)offset);
            offset += sizeof(uint64_t) + bytes_of(array);
        }
        fprintf(out, "      </%s>\n", place_names[place]);
    }
}

bool scree_vtp_write(const scree_vtp *vtp, const char *path)
{
    const uint16_t one = 1;
    scree_output output;
    if (!scree_output_open(&output, path))
        return false;
    FILE *out = output.stream;
    fprintf(out,
            "<?xml version=\"1.0\"?>\n"
            "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"%s\" header_type=\"UInt64\">\n"
            "  <PolyData>\n"
            "    <Piece NumberOfPoints=\"%zu\" NumberOfVerts=\"%zu\" NumberOfLines=\"0\" NumberOfStrips=\"0\" "
            "NumberOfPolys=\"%zu\">\n",
            *(const unsigned char *)&one ? "LittleEndian" : "BigEndian", vtp->points, vtp->verts, vtp->polys);
    write_places(out, vtp);
    fputs("    </Piece>\n  </PolyData>\n  <AppendedData encoding=\"raw\">\n_", out);
    for (int place = 0; place < SCREE_VTP_PLACES; place++)
        for (size_t i = 0; i < vtp->array_count; i++) {
            const scree_vtp_array *array = &vtp->arrays[i];
            uint64_t size = bytes_of(array);
            if ((int)array->place != place)
                continue;
            fwrite(&size, sizeof size, 1, out);
            if (size > 0)
                fwrite(array->values, 1, (size_t)size, out);
        }
    fputs("\n  </AppendedData>\n</VTKFile>\n", out);
    return scree_output_commit(&output);
}

/* ---- .pvd */

void scree_pvd_begin(FILE *pvd)
{
    fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\">\n  <Collection>\n", pvd);
}

void scree_pvd_add(FILE *pvd, double time, unsigned part, const char *file)
{
    char text[40];
    scree_format_number(time, text, sizeof text);
    fprintf(pvd, "    <DataSet timestep=\"%s\" part=\"%u\" file=\"%s\"/>\n", text, part, file);
}

void scree_pvd_end(FILE *pvd)
{
    fputs("  </Collection>\n</VTKFile>\n", pvd);
}
